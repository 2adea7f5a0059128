import { type Alert, alertOperations } from '@arbiter/contract/operations/alerts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { alertCondition, alertValue } from '../../messages/alerts.ts';
import { healthTexts as t } from '../../messages/health.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

const tones: Readonly<Record<Alert['status'], Tone>> = {
  ok: 'pass',
  fired: 'block',
  cooldown: 'block',
  delivery_failed: 'block',
  no_data: 'neutral',
  paused: 'neutral',
};

/** The alert rules of the tenant and their last results. `schedulerOff`: they don't run on their own. */
export function AlertRules({ schedulerOff }: { schedulerOff: boolean }) {
  const rules = useOperation(alertOperations.list, { query: { limit: 100 } }, { everyMs: 30_000 });
  return (
    <Section
      title={t.alerts}
      about={rules.asOf === null ? null : <AsOf at={rules.asOf} stale={rules.old} word="checked" />}
      flush
    >
      {schedulerOff ? <p className="border-line border-b px-4 py-2 text-dense text-warn">{t.alertsWait}</p> : null}
      <Loaded answer={rules} operation={alertOperations.list}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t.alertsNone}</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((rule) => (
                <Rule key={rule.id} rule={rule} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Rule({ rule }: { rule: Alert }) {
  const format = useFormat();
  const { name, status, lastEvaluatedAt, lastFiredAt, lastValue } = rule;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2.5">
      <div className="flex min-w-0 flex-col">
        <span className="break-words font-medium">{name}</span>
        <span className="text-dense text-soft">
          {lastValue === null ? alertCondition(rule, format) : alertValue(rule, format)} ·{' '}
          {lastEvaluatedAt === null ? t.alertNever : t.alertLooked(format.moment(lastEvaluatedAt))}
          {lastFiredAt === null ? null : ` · ${t.alertFired(format.moment(lastFiredAt))}`}
        </span>
      </div>
      <Badge tone={tones[status]}>{t.alertStatus[status]}</Badge>
    </li>
  );
}
