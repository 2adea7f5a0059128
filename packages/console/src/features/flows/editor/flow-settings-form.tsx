import { configShapes } from '@arbiter/contract/catalogue/config-shapes.generated';
import { useCallback, useMemo, useState } from 'react';
import type { FlowFinding } from '../../../engine-worker/flow.ts';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { stepsOf, valueAt, withValue } from '../../../forms/editing/changes.ts';
import type { FieldForm } from '../../../forms/editing/field-props.ts';
import { configFieldsOf } from '../../../forms/editing/field-spec.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { flowFieldTexts } from '../../../messages/flows/flow-fields.ts';
import { Button } from '../../../ui/button.tsx';

export interface FlowSettingsFormProps {
  readonly config: FlowConfig;
  readonly findings: readonly FlowFinding[];
  /** `path`: the changed field. Consecutive changes of one field are one step. */
  readonly onChange: (config: FlowConfig, path: string) => void;
}

const shape = configShapes.flows?.settings ?? { fields: {}, required: [] };
const fields = configFieldsOf(shape, '/flowConfig', {
  references: { '/flowConfig/explore/channels': 'channel' },
  labels: flowFieldTexts.labels,
});
const known = new Set(fields.map(({ name }) => name));

/** Settings of the flow besides its nodes: number of items, exploration. Other keys can be removed. */
export function FlowSettingsForm(props: FlowSettingsFormProps) {
  const form = useSettingsForm(props);
  const others = Object.keys(props.config.flowConfig).filter((key) => !known.has(key));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {fields.map((field) => (
        <FieldInput key={field.path} form={form} field={field} />
      ))}
      {others.length === 0 ? null : (
        <ul className="flex flex-col gap-1 text-dense">
          {others.map((key) => (
            <li key={key} className="flex items-center justify-between gap-2">
              <span className="min-w-0 break-words">
                <code>{key}</code>{' '}
                <span className="text-soft">{key === 'scoring' ? t.flowScoring : t.unknownText}</span>
              </span>
              <Button size="small" kind="quiet" onClick={() => form.set(`/flowConfig/${key}`, undefined)}>
                {t.fixes.clear}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function useSettingsForm({ config, findings, onChange }: FlowSettingsFormProps): FieldForm {
  const [inputErrors, setInputErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const errors = useMemo(() => {
    const found = new Map(inputErrors);
    for (const { path, message, severity } of findings)
      if (severity === 'error' && path.startsWith('/flowConfig/') && !found.has(path)) found.set(path, message);
    return found;
  }, [findings, inputErrors]);
  return {
    errors,
    valueAt: useCallback((path) => valueAt(config, stepsOf(path)), [config]),
    set: useCallback(
      (path, value) => onChange(clean(withValue(config, stepsOf(path), value) as FlowConfig), path),
      [config, onChange],
    ),
    setInputError: useCallback((path, message) => setInputErrors((before) => withError(before, path, message)), []),
  };
}

function withError(
  before: ReadonlyMap<string, string>,
  path: string,
  message: string | undefined,
): ReadonlyMap<string, string> {
  if (before.get(path) === message) return before;
  const next = new Map(before);
  if (message === undefined) next.delete(path);
  else next.set(path, message);
  return next;
}

/** Removes cleared settings, so that their defaults apply. */
function clean({ flowConfig, ...config }: FlowConfig): FlowConfig {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === null ||
    (typeof value === 'object' && Object.keys(withoutEmpty(value)).length === 0);
  const set = Object.entries(flowConfig).filter(([, value]) => !isEmpty(value));
  return {
    ...config,
    flowConfig: Object.fromEntries(set.map(([key, value]) => [key, withoutEmpty(value)])),
  } as FlowConfig;
}

function withoutEmpty<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const set = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(set) as Value;
}
