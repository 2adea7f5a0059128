import type { OfferSchedule } from '@arbiter/contract/catalogue/offers';
import { datesText, hoursText, scheduleState, scheduleStateTexts } from '../../messages/schedules.ts';
import { useNow } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import type { Format } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';

/** A day has no zone, so it is written as it stands; an instant is written in the tenant's. */
export const dateWriter = (format: Format) => ({
  day: (day: string) =>
    new Intl.DateTimeFormat(format.locale.locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(`${day}T00:00:00Z`),
    ),
  instant: (at: string) => format.instant(at),
});

const asWritten = { day: (day: string) => day, instant: (at: string) => at };

/** The same for files: days and instants as the API has them. */
export const plainSchedule = (schedule: OfferSchedule): string =>
  [datesText(schedule, asWritten), hoursText(schedule)].filter((text) => text !== null).join(', ') ||
  scheduleStateTexts.always;

/** When an offer may be decided, in one line. */
export function ScheduleText({ schedule }: { readonly schedule: OfferSchedule }) {
  const format = useFormat();
  const now = useNow();
  const state = scheduleState(schedule, now, format.locale.timeZone);
  const writer = dateWriter(format);
  const words = [datesText(schedule, writer), hoursText(schedule)].filter((text) => text !== null);
  const { startDate = null, endDate = null } = schedule;
  // What is next: its first day while it has not begun, else its last.
  const next =
    datesText(state === 'later' ? { startDate: startDate ?? null } : { endDate: endDate ?? null }, writer) ?? words[0];
  return (
    <span className="inline-flex max-w-full items-center gap-2">
      {state === 'over' || state === 'later' ? <Badge tone="warn">{scheduleStateTexts[state]}</Badge> : null}
      <span className={words.length === 0 ? 'text-soft' : 'truncate'} title={words.join(', ') || undefined}>
        {next ?? scheduleStateTexts.always}
      </span>
    </span>
  );
}
