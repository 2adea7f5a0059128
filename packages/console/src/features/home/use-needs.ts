import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import type { Operation } from '@arbiter/contract/core/operation';
import { type Alert, alertOperations } from '@arbiter/contract/operations/alerts';
import { type Approval, approvalOperations } from '@arbiter/contract/operations/approvals';
import { deadLetterOperations } from '@arbiter/contract/operations/dead-letters';
import { can } from '../../data/can.ts';
import { type Answer, type BodyOf, useOperation } from '../../data/use-operation.ts';
import { alertValue } from '../../messages/alerts.ts';
import { needsTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import type { Format } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import type { Need } from './need-list.tsx';
import { behindDraft, isForMe, type Person } from './needs.ts';

/** Refresh interval, in milliseconds. */
const everyMs = 60_000;

/** Loads what needs the user: approval requests, alerts, unpublished drafts, failed jobs. */
export function useNeeds(person: Person, fourEyes: boolean) {
  const format = useFormat();
  const approvals = useOperation(approvalOperations.list, { query: { status: 'pending' } }, { everyMs });
  const alerts = useOperation(alertOperations.list, { query: { limit: 100 } }, { everyMs });
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 100 } });
  const canSeeLetters = can(deadLetterOperations.list).allowed;
  const letters = useOperation(deadLetterOperations.list, { query: { limit: 1 } }, { enabled: canSeeLetters, everyMs });
  const needs: readonly Need[] = [
    ...(approvals.data ?? [])
      .filter((request) => isForMe(request, person, fourEyes))
      .map((request) => approvalNeed(request, format)),
    ...(alerts.data?.data ?? []).filter(isActive).map((rule) => alertNeed(rule, format)),
    ...(flows.data?.data ?? []).flatMap(draftNeeds),
    ...(letters.data === undefined ? [] : letterNeeds(letters.data, format)),
  ];
  const queries: readonly (readonly [Answer<unknown>, Operation])[] = [
    [approvals, approvalOperations.list],
    [alerts, alertOperations.list],
    [flows, decisionFlowOperations.list],
    ...(canSeeLetters ? [[letters, deadLetterOperations.list] as const] : []),
  ];
  return { needs, queries };
}

function approvalNeed(request: Approval, format: Format): Need {
  return {
    key: request.id,
    tone: 'info',
    kind: t.approval,
    text: t.asks(
      request.requesterName,
      request.payload?.publish === true ? t.publish : t.actions[request.action],
      request.entityName,
    ),
    detail: t.requestedAt(format.moment(request.createdAt)),
    to: addresses.approvals({ request: request.id }),
  };
}

const isActive = ({ status }: Alert): boolean =>
  status === 'fired' || status === 'cooldown' || status === 'delivery_failed';

function alertNeed(rule: Alert, format: Format): Need {
  return {
    key: rule.id,
    tone: 'block',
    kind: rule.status === 'delivery_failed' ? t.alertUndelivered : t.alert,
    text: rule.name,
    detail: alertValue(rule, format),
    to: addresses.health(),
  };
}

function draftNeeds(flow: DecisionFlow): readonly Need[] {
  const version = behindDraft(flow);
  if (version === null) return [];
  const to = addresses.flow(flow.id);
  return [{ key: flow.id, tone: 'draft', kind: t.draft, text: flow.name, detail: t.draftAhead(version), to }];
}

type DeadLetters = BodyOf<typeof deadLetterOperations.list>;

function letterNeeds({ totalEvents, alert, byTopic }: DeadLetters, format: Format): readonly Need[] {
  if (totalEvents === 0) return [];
  return [
    {
      key: 'dead letters',
      tone: alert === 'OK' ? 'warn' : 'block',
      kind: t.letters,
      text: t.lettersCount(format.number(totalEvents)),
      detail: Object.keys(byTopic).slice(0, 3).join(', '),
      to: addresses.health(),
    },
  ];
}
