import type { GateStatus } from '@arbiter/contract/explanation/offers';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { gateTypeNames } from '../../../messages/decisions/gates.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Link } from '../../../ui/link.tsx';
import { GateFigure } from './gate-figure.tsx';
import type { Writers } from './gate-story.ts';
import { type GateReport, storyOf } from './story-of.ts';

/** A gate to display, from any source. */
export interface ShownGate extends GateReport {
  readonly key: string;
  readonly kind: 'rule' | 'policy' | 'suppression' | 'stage';
  readonly id: string | null;
  readonly name: string;
  readonly status: GateStatus;
  readonly note?: string | null;
}

const tones: Readonly<Record<GateStatus, Tone>> = {
  passed: 'pass',
  blocked: 'block',
  skipped: 'neutral',
  overridden: 'info',
  lowered: 'warn',
};

const order: readonly GateStatus[] = ['blocked', 'lowered', 'overridden', 'passed', 'skipped'];

/** The gates of an offer, blocking ones first, with requirement and actual value. */
export function GateList({ gates, write }: { readonly gates: readonly ShownGate[]; readonly write: Writers }) {
  const sorted = gates.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return (
    <ul className="flex flex-col divide-y divide-line">
      {sorted.map((gate) => (
        <GateLine key={gate.key} gate={gate} write={write} />
      ))}
    </ul>
  );
}

function GateLine({ gate, write }: { readonly gate: ShownGate; readonly write: Writers }) {
  const { kind, name, ruleType, status, reason, detail, note } = gate;
  const story = kind === 'stage' || kind === 'suppression' ? null : storyOf({ ruleType, detail, reason }, write);
  const passed = status === 'passed' || status === 'skipped';
  const drill = drillOf(gate);
  const record = recordOf(gate);
  const verdict = t.statuses[status] ?? status;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 py-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 font-medium">{record === null ? name : <Link to={record}>{name}</Link>}</span>
        {ruleType === null ? null : (
          <span className="text-caption text-faint">{gateTypeNames[ruleType] ?? ruleType}</span>
        )}
      </div>
      {drill === null || passed ? (
        <Badge tone={tones[status]}>{verdict}</Badge>
      ) : (
        <Link to={drill} look="plain" aria-label={t.gateLink(verdict, name)} title={t.gateLink(verdict, name)}>
          <Badge tone={tones[status]}>{verdict}</Badge>
        </Link>
      )}
      {story === null ? (
        passed ? null : (
          <p className="col-span-2 text-dense text-soft">{note ?? reason}</p>
        )
      ) : (
        <div className="col-span-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-dense">
          <p className="min-w-0 text-soft">
            {t.required} <span className="text-ink">{story.required}</span>
            {story.actual === null ? null : (
              <>
                {' · '}
                {t.actual}{' '}
                <span className={story.isMissing ? 'text-warn italic' : passed ? 'text-ink' : 'font-medium text-block'}>
                  {story.actual}
                </span>
              </>
            )}
          </p>
          <GateFigure figure={story.figure} passed={passed} />
        </div>
      )}
      {story !== null && note ? <p className="col-span-2 text-caption text-soft">{note}</p> : null}
    </li>
  );
}

/** Address of the rule or policy. */
function recordOf({ kind, id }: ShownGate): string | null {
  if (id === null) return null;
  if (kind === 'rule') return addresses.rule(id);
  return kind === 'policy' ? addresses.policy(id) : null;
}

/** Address of the decisions that a rule or policy blocked. */
function drillOf({ kind, id }: ShownGate): string | null {
  if (id === null) return null;
  if (kind === 'rule') return addresses.decisions({ ruleId: id });
  return kind === 'policy' ? addresses.decisions({ policyId: id }) : null;
}
