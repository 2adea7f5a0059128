import { policyTexts as t } from '../../messages/catalogue/policies.ts';

export interface WeekProps {
  readonly from: number;
  readonly to: number;
  /** 0 is Sunday. */
  readonly days: readonly number[];
}

const hours = Array.from({ length: 24 }, (_, hour) => hour);
/** Weeks start on Monday, as in ISO 8601. */
const order = [1, 2, 3, 4, 5, 6, 0];

/** True when the hour of the day lies in the window; a window over midnight belongs to the day on which it begins. */
function isOpen({ from, to, days }: WeekProps, day: number, hour: number): boolean {
  if (from <= to) return days.includes(day) && hour >= from && hour < to;
  const before = (day + 6) % 7;
  return (days.includes(day) && hour >= from) || (days.includes(before) && hour < to);
}

/**
 * A week with the open hours filled. It repeats the sentence above, so it has no table or file and is hidden from
 * screen readers.
 */
export function Week(props: WeekProps) {
  return (
    <div aria-hidden className="flex max-w-xl flex-col gap-0.5 text-caption text-soft">
      {order.map((day) => (
        <div key={day} className="flex items-center gap-2">
          <span className="w-8">{t.weekdays[day]}</span>
          <span className="flex flex-1 gap-px">
            {hours.map((hour) => (
              <span
                key={hour}
                data-mark
                className={`h-4 flex-1 ${isOpen(props, day, hour) ? 'bg-pass' : 'bg-sunken'}`}
              />
            ))}
          </span>
        </div>
      ))}
      <div className="flex gap-2">
        <span className="w-8" />
        <span className="flex flex-1 justify-between">
          {[0, 6, 12, 18, 24].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </span>
      </div>
    </div>
  );
}
