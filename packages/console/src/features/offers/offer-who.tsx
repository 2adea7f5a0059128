import type { Offer } from '@arbiter/contract/catalogue/offers';
import { qualificationRuleOperations } from '@arbiter/contract/catalogue/qualification-rules';
import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useList } from '../../data/use-operation.ts';
import { ConditionView } from '../../forms/condition-view.tsx';
import { RecordLink } from '../../forms/record-name.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { conditionTree } from '../../messages/conditions.ts';
import { offerTexts as t } from '../../messages/offers.ts';
import { ruleSentence } from '../../messages/rules.ts';
import { addresses } from '../../route/addresses.ts';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** For whom the offer is: its own gates, and the rules that were made for it alone. */
export function Who({ offer: { id, eligibility } }: { readonly offer: Offer }) {
  const format = useFormat();
  const rules = useList(qualificationRuleOperations.list, { query: { scope: 'offer', scopeId: id, limit: 50 } });
  const { propensityThreshold = null, requiredSegments = [], excludedSegments = [], conditions } = eligibility;
  const hasConditions = conditionTree(conditions) !== null;
  const open =
    propensityThreshold === null && requiredSegments.length + excludedSegments.length === 0 && !hasConditions;
  return (
    <Section title={t.who}>
      <div className="flex flex-col gap-4">
        {open ? <p className="text-soft">{t.everybody}</p> : null}
        <Facts
          facts={[
            { label: t.propensity, value: propensityThreshold === null ? null : format.percent(propensityThreshold) },
            { label: t.inSegments, value: requiredSegments.length === 0 ? null : <Segments of={requiredSegments} /> },
            {
              label: t.outOfSegments,
              value: excludedSegments.length === 0 ? null : <Segments of={excludedSegments} />,
            },
            {
              label: t.conditions,
              value: hasConditions ? <ConditionView condition={conditions} otherwise="" /> : null,
            },
            {
              label: t.ruledBy,
              value:
                rules.rows.length === 0 ? null : (
                  <ul className="flex flex-col gap-1">
                    {rules.rows.map((rule) => (
                      <li key={rule.id} className="flex flex-wrap items-center gap-x-2">
                        <Link to={addresses.rule(rule.id)} title={ruleSentence(rule.ruleType, rule.config)}>
                          {rule.name}
                        </Link>
                        {rule.status === 'active' ? null : <StatusBadge status={rule.status} />}
                      </li>
                    ))}
                  </ul>
                ),
            },
          ]}
        />
      </div>
    </Section>
  );
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** An offer names its segments by id or by name. */
function Segments({ of }: { readonly of: readonly string[] }) {
  const named = of.some((one) => !isId(one));
  const list = useList(segmentOperations.list, { query: { limit: 200 } }, { enabled: named });
  const byName = new Map(list.rows.map(({ id, name }) => [name, id]));
  return (
    <ul className="flex flex-col gap-0.5">
      {of.map((one) => {
        const id = isId(one) ? one : byName.get(one);
        return <li key={one}>{id === undefined ? one : <RecordLink kind="segment" id={id} />}</li>;
      })}
    </ul>
  );
}
