import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { ArrowLeftRight, ClipboardCheck, FlaskConical, ShieldCheck } from 'lucide-react';
import { can } from '../../../data/can.ts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/overlays/menu.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { type Replay, useLatest } from '../calls.ts';

interface BadgesProps {
  readonly record: DecisionRecord;
  readonly explanation: Explanation | null;
  readonly replay: Replay | null;
}

/** Badges for anything unusual about the decision. */
export function DecisionBadges({ record, explanation, replay }: BadgesProps) {
  const format = useFormat();
  const explored = explanation?.items.filter(({ selection }) => selection?.explored) ?? [];
  const coupled = explanation?.summary.channelCoupling.some(({ cascaded }) => cascaded) ?? false;
  return (
    <>
      <ReplayBadge record={record} replay={replay} />
      {explored.length > 0 ? (
        <Badge tone="info">
          {t.badges.explored(
            format.percent(Math.min(...explored.map(({ selection }) => selection?.probability ?? 1)), 2),
          )}
        </Badge>
      ) : null}
      {record.result?.controlGroup === true ? <Badge tone="info">{t.badges.holdout}</Badge> : null}
      {record.result?.degradedScoring === true ? <Badge tone="warn">{t.badges.degraded}</Badge> : null}
      {coupled ? <Badge tone="warn">{t.badges.coupling}</Badge> : null}
      {explanation?.source === 'replay' ? <Badge tone="info">{t.badges.rebuilt}</Badge> : null}
    </>
  );
}

function ReplayBadge({ record, replay }: Omit<BadgesProps, 'explanation'>) {
  if (record.inputsState !== 'available') return <Badge tone="warn">{t.cannotReplay}</Badge>;
  if (replay === null || replay.replay === null) return <Badge tone="neutral">{t.notReplayed}</Badge>;
  return replay.replay.identical ? (
    <Badge tone="pass" icon={<ShieldCheck aria-hidden className="size-3" />}>
      {t.replayed}
    </Badge>
  ) : (
    <Badge tone="block">{t.replayDiffers}</Badge>
  );
}

/** Opens the form of a test that expects the decision again. */
function TestLink({ record: { recommendationId, inputsState } }: { readonly record: DecisionRecord }) {
  const permission = can({ role: 'editor', auth: 'credential' });
  const icon = <ClipboardCheck aria-hidden className="size-4" />;
  const reason = !permission.allowed
    ? editingTexts.needsRole(permission.needs)
    : inputsState === 'available'
      ? null
      : t.testNone;
  return reason === null ? (
    <ButtonLink to={addresses.newDecisionTest({ decision: recommendationId })} icon={icon}>
      {t.makeTest}
    </ButtonLink>
  ) : (
    <Button icon={icon} disabledReason={reason}>
      {t.makeTest}
    </Button>
  );
}

/** Actions of a decision: test, simulate and compare. */
export function DecisionActions({ record }: { readonly record: DecisionRecord }) {
  const { customerId, recommendationId: id, decidedAt } = record;
  const latest = useLatest(
    { limit: 2, to: decidedAt, ...(customerId === null ? {} : { customerId }) },
    { enabled: customerId !== null },
  );
  // `to` is exclusive, so the newest row is the previous decision.
  const before = latest.data?.data.find(({ recommendationId }) => recommendationId !== id) ?? null;
  return (
    <>
      <TestLink record={record} />
      {customerId === null ? null : (
        <ButtonLink
          to={addresses.simulate({ customer: customerId, decision: id })}
          icon={<FlaskConical aria-hidden className="size-4" />}
        >
          {t.simulateThis}
        </ButtonLink>
      )}
      <Menu
        trigger={<Button icon={<ArrowLeftRight aria-hidden className="size-4" />}>{t.compareMenu}</Button>}
        items={[
          {
            label: t.compareWithPrevious,
            disabledReason: before === null ? t.compareNone : null,
            act: { to: addresses.compare(before?.recommendationId ?? id, id) },
          },
          { label: t.compareWithNow, act: { to: addresses.compare(id, 'now') } },
          { label: t.compareWithDraft, act: { to: addresses.compare(id, 'draft') } },
          { label: t.compareWithId, act: { to: addresses.compare(id, '') } },
        ]}
      />
    </>
  );
}
