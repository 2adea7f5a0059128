import { Ban, TriangleAlert } from 'lucide-react';
import { type Namer, nodeName, nodeSummary } from '../messages/flows/flow-nodes.ts';
import { flowTexts as t } from '../messages/flows/flows.ts';
import { cx } from '../ui/cx.ts';
import type { FlowNode, NodeProblem, NodeRun, Phase } from './flow.ts';
import { NodeGlyph } from './glyphs.tsx';

/** Color of a phase, always shown with its number. */
export const phaseColor: Readonly<Record<Phase, string>> = { 1: 'text-chart-3', 2: 'text-chart-1', 3: 'text-chart-7' };
export const phaseMark: Readonly<Record<Phase, string>> = { 1: '①', 2: '②', 3: '③' };

/** Props that both views share. */
export interface NodeView {
  readonly node: FlowNode;
  readonly run: NodeRun | undefined;
  readonly problems: readonly NodeProblem[];
  readonly namer: Namer;
}

/** Glyph, name and summary of a node. */
export function NodeText({ node, namer }: Pick<NodeView, 'node' | 'namer'>) {
  return (
    <>
      <span className={cx('mt-0.5', node.enabled ? phaseColor[node.phase] : 'text-faint')}>
        <NodeGlyph type={node.type} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col text-start">
        <span className={cx('truncate text-dense font-medium', node.enabled ? 'text-ink' : 'text-faint line-through')}>
          {node.name === '' ? null : <span className="hidden-text">{nodeName(node.type)}: </span>}
          {node.name || nodeName(node.type)}
          {node.enabled ? null : <span className="hidden-text">, {t.off}</span>}
        </span>
        <span className="truncate text-caption text-soft">{nodeSummary(node.type, node.config, namer)}</span>
      </span>
    </>
  );
}

/** Candidates in and out of a node. The dropped ones are colored and have a minus sign. */
export function NodeCounts({ run, problems }: Pick<NodeView, 'run' | 'problems'>) {
  const left = run ? run.entered - run.passed : 0;
  const failed = problems.some(({ severity }) => severity === 'error');
  return (
    <span className="flex shrink-0 flex-col items-end text-caption">
      {run ? (
        run.skipped ? (
          <span className="text-faint">{t.notRun}</span>
        ) : (
          <>
            <span className="hidden-text">{t.entered(run.entered, run.passed)}</span>
            <span aria-hidden className="text-soft">
              {run.entered} → <span className="font-semibold text-ink">{run.passed}</span>
            </span>
            {left > 0 ? (
              <span aria-hidden className="inline-flex items-center gap-0.5 text-block">
                <Ban aria-hidden className="size-3" />−{left}
              </span>
            ) : null}
          </>
        )
      ) : null}
      {problems.length > 0 ? (
        <span className={cx('inline-flex items-center gap-0.5', failed ? 'text-block' : 'text-warn')}>
          <TriangleAlert aria-hidden className="size-3" />
          <span aria-hidden>{problems.length}</span>
          <span className="hidden-text">{t.problemCount(problems.length)}</span>
        </span>
      ) : null}
    </span>
  );
}
