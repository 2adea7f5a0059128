/**
 * Thrown by a job that cannot be done now through no fault of its own: what it needs is taken. It is run again after so many
 * seconds, and the run counts as no try. At most an hour.
 */
export class Postponed extends Error {
  constructor(seconds: number) {
    super(`postponed; again after ${Math.max(1, Math.ceil(seconds))} s`);
    this.name = 'Postponed';
  }
}
