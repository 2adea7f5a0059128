import { reasonText } from '@arbiter/contract/explanation/texts';
import { type FlowNode, NodeGlyph, type NodeProblem } from '../../flow-canvas/index.ts';
import { Settings } from '../../forms/settings.tsx';
import { type Namer, nodeName, nodeSummary } from '../../messages/flows/flow-nodes.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { FlowRun } from './run.ts';

export interface NodePanelProps {
  readonly node: FlowNode | undefined;
  readonly run: FlowRun | null;
  readonly problems: readonly NodeProblem[];
  readonly namer: Namer;
}

const maxOffers = 12;

/** The selected node: its settings, and what it did for the selected customer. */
export function NodePanel({ node, run, problems, namer }: NodePanelProps) {
  if (node === undefined) return <p className="p-4 text-dense text-soft">{t.pick}</p>;
  return (
    <div className="flex flex-col gap-4 p-4">
      <header className="flex flex-col gap-1">
        <h2 className="flex items-center gap-2 text-section font-semibold">
          <NodeGlyph type={node.type} />
          {node.name || nodeName(node.type)}
        </h2>
        <p className="text-dense text-soft">
          {nodeName(node.type)}: {nodeSummary(node.type, node.config, namer)}
        </p>
        {problems.map(({ message, severity }) => (
          <p key={message} className={severity === 'error' ? 'text-dense text-block' : 'text-dense text-warn'}>
            {message}
          </p>
        ))}
      </header>
      <NodeOutcome id={node.id} run={run} />
      <section className="flex flex-col gap-1">
        <h3 className="text-caption font-semibold text-soft">{t.settings}</h3>
        {Object.keys(node.config).length === 0 ? (
          <p className="text-dense text-soft">{t.defaults}</p>
        ) : (
          <Settings config={node.config} narrow />
        )}
      </section>
    </div>
  );
}

/** What a node did for the selected customer; nothing before a run. */
export function NodeOutcome({ id, run }: { readonly id: string; readonly run: FlowRun | null }) {
  const format = useFormat();
  const done = run?.byNode.get(id);
  const left = run?.dropped.filter(({ nodeId }) => nodeId === id) ?? [];
  if (done === undefined) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-caption font-semibold text-soft">{run?.isPopulation ? t.customersInOut : t.inOut}</h3>
      {done.skipped ? (
        <p className="text-dense">{t.nothingRun}</p>
      ) : (
        <>
          <p className="text-dense">
            {t.entered(done.entered, done.passed)}
            {done.topScore === null ? null : `, ${t.topScore.toLocaleLowerCase()} ${format.fixed(done.topScore, 3)}`}
          </p>
          <p className="flex flex-wrap gap-1">
            {done.dropped.map(([reason, count]) => (
              <Badge key={reason} tone="block">
                {reasonText(reason).title} {count}
              </Badge>
            ))}
          </p>
          {done.warnings.map((warning) => (
            <p key={warning} className="text-dense text-warn">
              {warning}
            </p>
          ))}
          {run?.isPopulation ? (
            <p className="text-dense text-soft">{t.populationHelp}</p>
          ) : left.length === 0 ? (
            <p className="text-dense text-soft">{t.nobodyLeft}</p>
          ) : (
            <ul className="flex flex-col gap-1 text-dense">
              {left.slice(0, maxOffers).map(({ offerId, name, reason }) => (
                <li key={offerId} className="flex justify-between gap-2">
                  <Link to={addresses.offer(offerId)} className="min-w-0 truncate">
                    {name}
                  </Link>
                  <span className="shrink-0 text-soft">{reasonText(reason).title}</span>
                </li>
              ))}
              {left.length > maxOffers ? <li className="text-soft">{t.others(left.length - maxOffers)}</li> : null}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
