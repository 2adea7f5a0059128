import {
  type CustomerEligibility,
  customerToolOperations,
  type JudgedOffer,
} from '@arbiter/contract/deciding/customer-tools';
import { useState } from 'react';
import type { Answer } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTools } from '../../forms/list-tools.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Metric } from '../../ui/metric.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Column } from '../../ui/table-column.ts';
import { attributeLabel, attributeText } from './attribute-text.ts';
import { reasonTitle } from './reasons.ts';

/** Offers behind each metric; metrics without offers are explained on another tab. */
const behind: Readonly<Record<string, (offer: JudgedOffer) => boolean>> = {
  totalOffers: () => true,
  eligibleCount: ({ eligible }) => eligible,
  failedQualification: ({ qualificationPassed }) => !qualificationPassed,
  blockedByContactPolicy: ({ contactPolicyBlocked }) => contactPolicyBlocked,
  blockedBySchedule: ({ scheduleBlocked }) => scheduleBlocked,
  noCreatives: ({ creativeCount }) => creativeCount === 0,
};

const gates = [
  'totalOffers',
  'eligibleCount',
  'failedQualification',
  'blockedByContactPolicy',
  'suppressed',
  'blockedBySchedule',
  'noCreatives',
] as const;

export interface OffersTabProps {
  readonly customerId: string;
  readonly answer: Answer<CustomerEligibility>;
  /** The selected metric, stored in the address. */
  readonly gate: string | null;
}

/** Eligible offers, and what blocks the others. */
export function OffersTab({ customerId, answer, gate: selectedGate }: OffersTabProps) {
  const format = useFormat();
  const [opened, setOpened] = useState<JudgedOffer | null>(null);
  const report = answer.data;
  const keeps = behind[selectedGate ?? ''];
  const shown = report?.offers.filter((offer) => keeps === undefined || keeps(offer)) ?? [];
  const columns: readonly Column<JudgedOffer>[] = [
    {
      key: 'offer',
      header: t.columns.offer,
      width: 200,
      grow: 2,
      cell: ({ offerName }) => offerName,
      text: ({ offerName }) => offerName,
    },
    {
      key: 'verdict',
      corner: true,
      header: t.columns.verdict,
      width: 130,
      grow: 0,
      cell: ({ eligible }) => <Badge tone={eligible ? 'pass' : 'block'}>{eligible ? t.eligible : t.notEligible}</Badge>,
      text: ({ eligible }) => (eligible ? t.eligible : t.notEligible),
    },
    {
      key: 'why',
      header: t.columns.why,
      width: 180,
      grow: 2,
      cell: ({ primaryReason }) => (primaryReason === null ? '' : reasonTitle(primaryReason)),
      text: ({ primaryReason }) => (primaryReason === null ? null : reasonTitle(primaryReason)),
    },
    {
      key: 'rank',
      header: t.columns.rank,
      align: 'end',
      width: 72,
      grow: 0,
      cell: ({ rank }) => rank ?? '',
      text: ({ rank }) => rank,
    },
    {
      key: 'score',
      header: t.columns.score,
      align: 'end',
      width: 90,
      grow: 0,
      cell: ({ score }) => (score === null ? '' : format.fixed(score, 3)),
      text: ({ score }) => score,
    },
    {
      key: 'priority',
      header: t.columns.priority,
      align: 'end',
      width: 90,
      grow: 0,
      cell: ({ priority }) => format.number(priority),
      text: ({ priority }) => priority,
    },
  ];
  const look = useListLook(customerToolOperations.eligibility.id, columns, { stateIn: 'page' });
  const complete = report?.pagination.hasMore === false;
  const total = keeps === undefined ? report?.pagination.total : shown.length;
  return (
    <div className="flex flex-col gap-4">
      {report === undefined ? null : (
        <div className="flex flex-col gap-2">
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-4 xl:grid-cols-7">
            {gates.map((gate) => (
              <Metric
                key={gate}
                size="small"
                label={t.gates[gate]}
                value={format.number(report.summary[gate])}
                drill={{
                  to: addresses.customer(customerId, gate in behind ? { tab: 'offers', gate } : { tab: 'limits' }),
                }}
              />
            ))}
          </div>
          <p className="text-caption text-soft">
            {t.perOffer} <AsOf at={report.evaluatedAt} word={t.evaluated} />
          </p>
        </div>
      )}
      <ListTools
        look={look}
        title={t.tabs.offers}
        list={{ rows: shown, total: total ?? null, complete, old: answer.old, loading: answer.loading }}
        further={{ id: ({ offerId }) => offerId }}
      />
      <DataTable
        label={t.tabs.offers}
        columns={look.columns}
        rows={answer.loading ? undefined : shown}
        filtered={keeps !== undefined}
        filteredEmpty={
          <Empty
            level={3}
            title={t.gateNone}
            actions={<ButtonLink to={addresses.customer(customerId, { tab: 'offers' })}>{t.gateAll}</ButtonLink>}
          />
        }
        rowKey={(row) => row.offerId}
        rowTo={(row) => addresses.offer(row.offerId)}
        complete={complete}
        total={total}
        sort={look.sort}
        onSort={look.onSort}
        partial={report?.pagination.hasMore ? t.offersPartial(report.offers.length) : undefined}
        onPeek={setOpened}
        maxHeight="60dvh"
        error={
          answer.failure === null ? undefined : (
            <FailurePanel
              failure={answer.failure}
              operation={customerToolOperations.eligibility}
              retry={answer.refresh}
            />
          )
        }
        empty={
          <Empty
            level={3}
            title={t.offersNone}
            actions={<ButtonLink to={addresses.offers()}>{t.tabs.offers}</ButtonLink>}
          >
            {t.offersNoneText}
          </Empty>
        }
      />
      {opened === null ? null : <Judged offer={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

/** Every gate of an offer: rules and policies with their results. */
function Judged({ offer, onClose }: { readonly offer: JudgedOffer; readonly onClose: () => void }) {
  const failed = offer.qualification.filter(({ passed }) => !passed);
  const passedRules = offer.qualification.filter(({ passed }) => passed);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={offer.offerName}
      description={offer.primaryReason === null ? t.whyNotNone : reasonTitle(offer.primaryReason)}
      footer={<ButtonLink to={addresses.offer(offer.offerId)}>{t.openOffer}</ButtonLink>}
    >
      <ul className="flex flex-col divide-y divide-line">
        {offer.policies.map((policy) => (
          <GateLine
            key={policy.policyId}
            passed={false}
            kind={t.policy}
            name={policy.policyName}
            detail={policy.detail}
          />
        ))}
        {[...failed, ...passedRules].map((rule) => (
          <GateLine
            key={rule.ruleId ?? 'own'}
            passed={rule.passed}
            kind={t.rule}
            name={rule.ruleName ?? t.ownEligibility}
            detail={rule.detail}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface GateLineProps {
  readonly passed: boolean;
  readonly kind: string;
  readonly name: string;
  readonly detail: unknown;
}

function GateLine({ passed, kind, name, detail }: GateLineProps) {
  const format = useFormat();
  const facts = typeof detail === 'object' && detail !== null ? Object.entries(detail) : [];
  return (
    <li className="flex flex-col gap-1 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={passed ? 'pass' : 'block'}>{passed ? t.passes : t.blocks}</Badge>
        <span className="font-medium">{name}</span>
        <span className="text-caption text-soft">{kind}</span>
      </span>
      {facts.length === 0 ? null : (
        <dl className="flex flex-wrap gap-x-4 gap-y-1 text-dense">
          {facts.map(([key, value]) => (
            <div key={key} className="flex gap-1.5">
              <dt className="text-soft">{attributeLabel(key, undefined)}</dt>
              <dd className="break-words tabular-nums">{attributeText(value, undefined, format)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
