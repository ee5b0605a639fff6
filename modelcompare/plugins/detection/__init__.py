"""Detections of objects in images: COCO's files, and their mean average precision."""
