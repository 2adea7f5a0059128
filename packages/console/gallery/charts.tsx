import { BarChart } from '../src/ui/charts/bars.tsx';
import { AreaChart, LineChart } from '../src/ui/charts/line.tsx';
import { Timeline } from '../src/ui/charts/timeline.tsx';
import { Diff } from '../src/ui/diff/diff.tsx';
import { Page, Section } from '../src/ui/page.tsx';

const hour = 3_600_000;
const from = Date.UTC(2026, 10, 21, 12);
const hours = Array.from({ length: 25 }, (_, at) => from + at * hour);
const write = (value: number) => value.toFixed(0);
const series = (height: number, gap = -1) =>
  hours.map((at, index) => ({
    at,
    value: index === gap ? null : height + height * Math.sin(index / 3 + height),
    drill: { to: `/decisions?from=${at}` },
  }));

export function Charts() {
  return (
    <Page title="Charts">
      <div className="grid gap-4 md:grid-cols-2">
        <Section title="Area">
          <AreaChart
            title="Decisions per hour"
            summary="1,204 decisions in 24 hours, most at 14:00."
            name="Decisions"
            points={series(40, 9)}
            write={write}
          />
        </Section>
        <Section title="Lines">
          <LineChart
            title="Latency"
            summary="p95 stayed below 30 ms."
            series={[
              { name: 'p50', points: series(5) },
              { name: 'p95', points: series(14) },
              { name: 'p99', points: series(22) },
            ]}
            write={(value) => `${value.toFixed(1)} ms`}
          />
        </Section>
        <Section title="Bars">
          <BarChart
            title="Selected offers"
            summary="Gold Birthday Drink leads with 312."
            of="Offer"
            measure="Selected"
            write={write}
            rows={['Gold Birthday Drink', 'Morning Streak with a rather long name', 'Oat Milk Week'].map(
              (label, at) => ({
                key: label,
                label,
                value: 312 - at * 120,
                low: 300 - at * 120,
                high: 330 - at * 120,
                drill: { to: `/decisions?offerId=${at}` },
              }),
            )}
          />
        </Section>
      </div>
      <Section title="Timeline">
        <Timeline
          title="Contacts"
          summary="Four contacts in 24 hours."
          from={from}
          to={from + 24 * hour}
          now={from + 20 * hour}
          lanes={[
            {
              name: 'Email',
              events: [
                { key: 'a', at: from + 3 * hour, name: 'shown', tone: 'pass', drill: { to: '/a' } },
                { key: 'b', at: from + 9 * hour, name: 'reserved', tone: 'info', open: true, drill: { to: '/b' } },
              ],
            },
            {
              name: 'Push',
              events: [
                {
                  key: 'c',
                  at: from + 10 * hour,
                  until: from + 17 * hour,
                  name: 'quiet hours',
                  tone: 'block',
                  drill: { reason: 'a rule, no decision' },
                },
              ],
            },
          ]}
        />
      </Section>
      <Section title="Difference">
        <Diff
          names={{ before: 'v3', after: 'draft' }}
          before={{
            name: 'Your drink is on us until Sunday',
            priority: 57,
            tags: ['gold', 'birthday'],
            active: true,
            config: { limit: 5, deep: { a: 1 } },
            nodes: [{ id: 'inventory' }, { id: 'score' }],
          }}
          after={{
            name: 'Your drink is on us until Friday',
            priority: 70,
            tags: ['gold', 'tier'],
            active: true,
            config: { limit: 5 },
            note: 'a longer note that was not there before and goes on for more than eighty letters',
            nodes: [{ id: 'score' }, { id: 'inventory' }],
          }}
        />
      </Section>
    </Page>
  );
}
