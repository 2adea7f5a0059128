const dayForm = /^\d{4}-\d{2}-\d{2}$/;

function shifted(value: string, days: number): string {
  if (!dayForm.test(value)) return value;
  const at = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return value;
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** `to` of a range that includes this last day: the API's ranges end before `to`. What is no day stays. */
export const endAfter = (lastDay: string): string => shifted(lastDay, 1);

/** The last day that a range up to `to` includes, as people read it. What is no day stays. */
export const lastDayBefore = (to: string): string => shifted(to, -1);
