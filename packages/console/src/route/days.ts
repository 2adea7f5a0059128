const dayForm = /^\d{4}-\d{2}-\d{2}$/;

function shifted(value: string, days: number): string {
  if (!dayForm.test(value)) return value;
  const at = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return value;
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** Returns the `to` of a range that includes this last day: API ranges end before `to`. Leaves anything else unchanged. */
export const endAfter = (lastDay: string): string => shifted(lastDay, 1);

/** Returns the last day of a range with this `to`, as people read it. Leaves anything else unchanged. */
export const lastDayBefore = (to: string): string => shifted(to, -1);
