/**
 * A job throws this when it can't run now through no fault of its own, because something it needs is busy. It runs
 * again after this many seconds, at most an hour, and the run doesn't count as an attempt.
 */
export class Postponed extends Error {
  constructor(seconds: number) {
    super(`postponed; again after ${Math.max(1, Math.ceil(seconds))} s`);
    this.name = 'Postponed';
  }
}
