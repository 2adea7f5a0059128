import { useRef } from 'react';
import type { FlowFinding } from '../../../engine-worker/flow.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { placeText } from '../place-text.ts';
import { fixOf } from './fixes.ts';
import { titleOf } from './use-flow-commands.ts';
import type { FlowEditor } from './use-flow-editor.ts';

export interface ProblemListProps {
  readonly editor: FlowEditor;
  readonly findings: readonly FlowFinding[];
  /** Selects a node and moves the focus to one of its fields. */
  readonly onShow: (nodeId: string, field: string) => void;
}

/** Problems shown at once. */
const maxShown = 20;

/** Lists the draft's problems, each with its place, a link to it and a fix. */
export function ProblemList({ editor, findings, onShow }: ProblemListProps) {
  const list = useRef<HTMLUListElement>(null);
  if (findings.length === 0) return null;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return (
    <section
      aria-label={t.problemsTitle}
      className="flex flex-col gap-1 rounded-card border border-line bg-surface px-4 py-3"
    >
      <h2 className="text-body font-semibold">{t.problems(errors, findings.length - errors)}</h2>
      <ul ref={list} className="flex flex-col divide-y divide-line">
        {findings.slice(0, maxShown).map((finding) => (
          <ProblemRow key={`${finding.path} ${finding.code}`} {...{ editor, finding, onShow }} />
        ))}
      </ul>
    </section>
  );
}

interface ProblemRowProps extends Omit<ProblemListProps, 'findings'> {
  readonly finding: FlowFinding;
}

function ProblemRow({ editor, finding, onShow }: ProblemRowProps) {
  const { config } = editor;
  const { path, message, severity } = finding;
  const at = Number(/^\/nodes\/(\d+)/.exec(path)?.[1] ?? -1);
  const node = config.nodes[at];
  const fix = fixOf(config, finding);
  const field = placeText(path.replace(/^\/nodes\/\d+|^\/flowConfig/, ''));
  const where = node === undefined ? (path.startsWith('/flowConfig') ? t.flowSettings : '') : titleOf(node);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-dense">
      <Badge tone={severity === 'error' ? 'block' : 'warn'}>{where === '' ? t.problemsTitle : where}</Badge>
      <span className="min-w-0 grow basis-60 break-words">
        {field === '' ? null : <span className="font-medium">{field}: </span>}
        {finding.code === 'unknown_reference' ? t.recordGone : message}
      </span>
      {node === undefined ? null : (
        <Button
          size="small"
          kind="quiet"
          aria-label={`${t.show}: ${where}`}
          onClick={() => onShow(node.id, fieldId(path.replace(/^\/nodes\/\d+/, '')))}
        >
          {t.show}
        </Button>
      )}
      {fix === null ? null : (
        <Button
          size="small"
          onClick={() => editor.change({ config: fix.config, selected: null }, { label: t.steps.fix })}
        >
          {t.fixes[fix.name]}
        </Button>
      )}
    </li>
  );
}
