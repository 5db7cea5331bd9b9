"""The videos shape: requests about videos, the video resource; pure."""
