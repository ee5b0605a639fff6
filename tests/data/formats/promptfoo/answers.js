// Answers for nothing: right with a chance of its own, cut off now and then.
class Answers {
  constructor(options) { this.config = options.config; this.calls = 0; }
  id() { return 'answers'; }
  async callApi(prompt, context) {
    const { right, lost } = this.config;
    const turn = this.calls++;
    if (turn % lost === lost - 1) return { error: 'Request timed out after 30000 ms' };
    const number = context.vars.a * context.vars.b;
    return { output: turn % right ? String(number) : `about ${number + 1}` };
  }
}
module.exports = Answers;
