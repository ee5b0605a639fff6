"""Judgments of MT-Bench by FastChat's own code, with a judge that answers from a list: make.py FASTCHAT."""

import json
import sys
import types
from pathlib import Path

NEEDED = {
    "openai": {}, "anthropic": {},
    "fastchat": {}, "fastchat.model": {},
    "fastchat.model.model_adapter": {
        "get_conversation_template": lambda _: types.SimpleNamespace(
            set_system_message=lambda _: None, append_message=lambda *_: None, roles=("user", "assistant")
        ),
        "ANTHROPIC_MODEL_LIST": (), "OPENAI_CHAT_COMPLETION": (), "OPENAI_MODEL_LIST": ("gpt-4",),
    },
}  # fmt: skip
for name, members in NEEDED.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)
sys.path.insert(0, str(Path(sys.argv[1], "fastchat/llm_judge")))
import common  # noqa: E402

RATINGS = {"small": [6, 4, 7, 7, 3, 2, 8, 5], "large": [8, 7, 7, 9, 5, 6, 8, 8]}
judge_prompts = Path(sys.argv[1], "fastchat/llm_judge/data/judge_prompts.jsonl")
prompts = {row["name"]: row for row in map(json.loads, judge_prompts.read_text().splitlines())}
output = Path(__file__).with_name("gpt-4_single.jsonl")
output.unlink(missing_ok=True)
for model, ratings in RATINGS.items():
    for place, rating in enumerate(ratings):
        turn = place % 2
        kind = "single-v1-multi-turn" if turn else "single-v1"
        # A judge without a rating in its last answer gives -1.
        text = "no rating" if (model, place) == ("small", 5) else f"Rating: [[{rating}]]"
        common.chat_completion_openai = lambda *_, text=text, **__: text
        question = {
            "question_id": 81 + place // 2,
            "turns": ["one?", "two?"],
            "category": "writing",
        }
        answer = {"model_id": model, "choices": [{"turns": ["1", "2"]}]}
        judge = common.Judge("gpt-4", prompts[kind], multi_turn=bool(turn))
        match = common.MatchSingle(question, model, answer, judge, multi_turn=bool(turn))
        common.play_a_match_single(match, output_file=str(output))

# Letters of the judge in the two games of a battle, of which the second has the answers in the other order.
VERDICTS = ["AB", "AB", "BA", "AA", "CC", "BA", "AB", "AC", "BA", "A?", "BA", "AB"]
PAIRS = [("small", "middle"), ("small", "large"), ("middle", "large")]
output = output.with_name("gpt-4_pair.jsonl")
output.unlink(missing_ok=True)
for place, letters in enumerate(VERDICTS):
    pair, turn = PAIRS[place % 3], place // 3 % 2
    kind = "pair-v2-multi-turn" if turn else "pair-v2"
    games = iter(letters)
    common.chat_completion_openai = lambda *_, games=games, **__: f"My verdict is [[{next(games)}]]"
    question = {"question_id": 81 + place // 6, "turns": ["one?", "two?"], "category": "writing"}
    answers = [{"model_id": model, "choices": [{"turns": ["1", "2"]}]} for model in pair]
    judge = common.Judge("gpt-4", prompts[kind], multi_turn=bool(turn))
    match = common.MatchPair(question, *pair, *answers, judge, multi_turn=bool(turn))
    common.play_a_match_pair(match, output_file=str(output))
