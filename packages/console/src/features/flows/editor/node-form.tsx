import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { FlowFinding } from '../../../engine-worker/flow.ts';
import type { ConfigNode, FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { rankOf } from '../../../flow-canvas/editing/placement.ts';
import { stepsOf, valueAt, withValue } from '../../../forms/editing/changes.ts';
import { type ConditionField, useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldForm } from '../../../forms/editing/field-props.ts';
import type { FieldSpec } from '../../../forms/editing/field-spec.ts';
import { ConditionEditor } from '../../../forms/editing/inputs/condition-input.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { RowsInput } from '../../../forms/editing/inputs/rows-input.tsx';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { flowFieldTexts } from '../../../messages/flows/flow-fields.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormulaInput } from './formula-input.tsx';
import { formulaPlace } from './formula-words.ts';
import { hasConditions, shownFields } from './node-fields.ts';

export interface NodeFormProps {
  readonly config: FlowConfig;
  readonly node: ConfigNode;
  readonly findings: readonly FlowFinding[];
  readonly customFields: readonly string[];
  /** `path`: the changed field. Consecutive changes of one field are one step. */
  readonly onChange: (node: ConfigNode, path: string) => void;
}

/** Returns a form for a node, with fields from the contract's schema of its type. */
function useNodeForm({ config, node, findings, onChange }: NodeFormProps): FieldForm {
  const [inputErrors, setInputErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const prefix = `/nodes/${config.nodes.indexOf(node)}`;
  const errors = useMemo(() => {
    const found = new Map(inputErrors);
    for (const { path, message, severity } of findings) {
      const own = path.slice(prefix.length);
      if (severity === 'error' && path.startsWith(`${prefix}/`) && !found.has(own)) found.set(own, message);
    }
    return found;
  }, [findings, inputErrors, prefix]);
  return {
    errors,
    valueAt: useCallback((path) => valueAt(node, stepsOf(path)), [node]),
    set: useCallback(
      (path, value) => onChange(clean(withValue(node, stepsOf(path), value) as ConfigNode), path),
      [node, onChange],
    ),
    setInputError: useCallback(
      (path, message) =>
        setInputErrors((before) => {
          if (before.get(path) === message) return before;
          const next = new Map(before);
          if (message === undefined) next.delete(path);
          else next.set(path, message);
          return next;
        }),
      [],
    ),
  };
}

/** Removes cleared settings, so that their defaults apply. */
function clean({ config = {}, ...node }: ConfigNode): ConfigNode {
  const set = Object.entries(config).filter(([, value]) => value !== undefined && value !== null);
  return { ...node, config: Object.fromEntries(set) } as ConfigNode;
}

/** The settings of a node. */
export function NodeForm(props: NodeFormProps) {
  const { node } = props;
  const form = useNodeForm(props);
  const { first, more, unknown } = shownFields(node.type, node.config ?? {});
  const hasErrors = more.some(({ path }) => [...form.errors.keys()].some((at) => at.startsWith(path)));
  const isConditional = hasConditions(node.type);
  const settings = (fields: readonly FieldSpec[]) =>
    fields.map((field) => <Setting key={field.path} {...props} form={form} field={field} />);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <TextField
        id={fieldId('/name')}
        label={t.name}
        dir="auto"
        maxLength={100}
        placeholder={nodeName(node.type)}
        error={form.errors.get('/name')}
        value={node.name ?? ''}
        onChange={({ target }) => form.set('/name', target.value === '' ? undefined : target.value)}
      />
      {isConditional ? <Conditions form={form} node={node} onChange={props.onChange} /> : null}
      {settings(first)}
      {first.length + more.length === 0 && !isConditional ? <p className="text-dense text-soft">{t.fewer}</p> : null}
      {more.length === 0 ? null : (
        <details className="min-w-0" {...(hasErrors ? { open: true } : {})}>
          <summary className="cursor-pointer py-1 text-dense font-medium">{t.more}</summary>
          <div className="flex flex-col gap-4 pt-2">{settings(more)}</div>
        </details>
      )}
      {unknown.length === 0 ? null : (
        <div className="flex flex-col gap-1">
          <h3 className="text-dense font-medium">{t.unknown}</h3>
          <p className="text-caption text-soft">{t.unknownText}</p>
          <ul className="text-dense">
            {unknown.map((key) => (
              <li key={key} className="flex items-center justify-between gap-2">
                <code className="min-w-0 break-words">{key}</code>
                <Button size="small" kind="quiet" onClick={() => form.set(`/config/${key}`, undefined)}>
                  {t.fixes.clear}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface SettingProps extends NodeFormProps {
  readonly form: FieldForm;
  readonly field: FieldSpec;
}

/** Returns the control of a setting, including controls that only flows have. */
function Setting(props: SettingProps): ReactNode {
  const { form, field, config, node, customFields } = props;
  const at = config.nodes.indexOf(node);
  const options = flowFieldTexts.options;
  const { name } = field;
  if (name === 'formula' && field.kind !== 'group') {
    return <FormulaInput form={form} field={field} place={formulaPlace(config.nodes, at, customFields, 0)} />;
  }
  if (name === 'onTrue' || name === 'onFalse') return <Branch {...props} />;
  if (name === 'formulaExtras' || name === 'properties') {
    return (
      <RowsInput
        form={form}
        field={field}
        optionLabels={options}
        rowLabel={(row, position) => (typeof row.key === 'string' && row.key !== '' ? row.key : `${position + 1}`)}
        control={(each) => {
          const row = Number(each.path.split('/').at(-2));
          if (each.name === 'value') return <FreeValue form={form} field={each} />;
          if (each.name !== 'formula') return undefined;
          return <FormulaInput form={form} field={each} place={formulaPlace(config.nodes, at, customFields, row)} />;
        }}
      />
    );
  }
  const unit = name === 'timeoutMs' ? { unit: flowFieldTexts.milliseconds } : {};
  return <FieldInput form={form} field={field} optionLabels={options} {...unit} />;
}

/** What a conditional does: continue, skip to a later node, drop everything, or call a flow. */
function Branch({ form, field, config, node }: SettingProps) {
  const part = (name: string) => field.fields?.find((each) => each.name === name);
  const [action, nodeId, flowKey] = [part('action'), part('nodeId'), part('flowKey')];
  if (action === undefined || nodeId === undefined || flowKey === undefined) return null;
  const chosen = form.valueAt(action.path);
  const target = form.valueAt(nodeId.path);
  const at = config.nodes.indexOf(node);
  const firstScored = config.nodes.find(({ type }) => (rankOf(type) ?? 0) > 1);
  const later = config.nodes
    .slice(at + 1)
    .filter((each) => rankOf(each.type) === 1 || rankOf(each.type) === null || each === firstScored);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="pb-1 text-dense font-medium">{field.label}</legend>
      <FieldInput
        form={form}
        field={{ ...action, label: flowFieldTexts.branch.action, help: '', usual: 'continue' }}
        optionLabels={flowFieldTexts.options}
      />
      {chosen === 'skip_to' ? (
        <SelectField
          id={fieldId(nodeId.path)}
          label={flowFieldTexts.branch.nodeId}
          error={form.errors.get(nodeId.path)}
          placeholder={later.length === 0 ? flowFieldTexts.noLaterNode : ''}
          options={later.map(({ id, name, type }) => ({ value: id, label: name ?? `${nodeName(type)} (${id})` }))}
          value={typeof target === 'string' ? target : ''}
          onChange={({ target: { value } }) => form.set(nodeId.path, value === '' ? undefined : value)}
        />
      ) : null}
      {chosen === 'call_flow' ? (
        <FieldInput form={form} field={{ ...flowKey, label: flowFieldTexts.branch.flowKey, help: '' }} />
      ) : null}
    </fieldset>
  );
}

const offerField =
  (type: ConditionField['type']) =>
  (name: string): ConditionField => ({ name: `offer.${name}`, from: 'offer', type });
const offerFields = [
  ...['name', 'category', 'categoryId', 'productType', 'status'].map(offerField('text')),
  ...['priority', 'businessValue', 'margin', 'revenueValue'].map(offerField('number')),
];

const listOperators = new Set([
  ...[
    'eq',
    'neq',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'not_in',
    'contains',
    'starts_with',
    'regex',
    'exists',
    'not_exists',
  ],
]);

/** Conditions of a filter or a conditional: one list, all or any. */
function Conditions({ form, node, onChange }: { readonly form: FieldForm } & Pick<NodeFormProps, 'node' | 'onChange'>) {
  const columns = useCustomerFields();
  const fields = useMemo(() => {
    const customer = columns.map((field) => ({
      ...field,
      name: field.name.startsWith('customer.') ? field.name : `customer.${field.name}`,
    }));
    return node.type === 'filter' ? [...offerFields, ...customer] : customer;
  }, [columns, node.type]);
  const path = '/config/conditions';
  const { conditions = [], combinator } = node.config ?? {};
  const errors = new Map(
    [...form.errors]
      .filter(([at]) => at.startsWith(path))
      .map(([at, message]) => [at === path ? '' : `/conditions${at.slice(path.length)}`, message]),
  );
  return (
    <ConditionEditor
      id={fieldId(path)}
      isFlat
      label={flowFieldTexts.conditions}
      emptyText={node.type === 'filter' ? flowFieldTexts.everyOffer : flowFieldTexts.always}
      {...{ fields, errors }}
      operators={listOperators}
      value={{ logic: combinator === 'OR' ? 'or' : 'and', conditions }}
      onChange={(value) => {
        const { logic, conditions: list }: { logic?: unknown; conditions?: unknown } = { ...Object(value) };
        const { combinator: _, conditions: __, ...rest } = node.config ?? {};
        const both = { conditions: list, ...(logic === 'or' ? { combinator: 'OR' } : {}) };
        onChange({ ...node, config: Array.isArray(list) ? { ...rest, ...both } : rest }, path);
      }}
    />
  );
}

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Writes a value so that parsing returns the same one: text that looks like a number is quoted. */
function shownFree(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && asJson(value) === value ? value : JSON.stringify(value);
}

/** A text, a number, a flag or JSON. */
function FreeValue({ form, field }: { readonly form: FieldForm; readonly field: FieldSpec }) {
  const value = form.valueAt(field.path);
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      id={fieldId(field.path)}
      label={flowFieldTexts.value}
      help={flowFieldTexts.valueHelp}
      error={form.errors.get(field.path)}
      value={typed ?? shownFree(value)}
      onBlur={() => setTyped(null)}
      onChange={({ target }) => {
        setTyped(target.value);
        form.set(field.path, target.value.trim() === '' ? undefined : asJson(target.value));
      }}
    />
  );
}
