import { baseFlowConfig, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { sameValue } from '../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { flowFormTexts as t } from '../../messages/flows/flow-form.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { useOptionalParam } from '../../route/use-address.ts';
import { CheckField } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';

const spec = { labels: t.labels, help: t.help };
const initial = { name: '', key: '', status: 'draft', autoAssembly: true, draftConfig: baseFlowConfig };
const emptyConfig = { version: 2, nodes: [], flowConfig: {} };

const { titles, path, record } = recordKinds.decisionFlow;
/** A new flow opens in its editor. */
const asNew = { titles, path, record: (id: string) => addresses.editFlow(id) };
const asStored = { titles, path, record };

/** Creates a flow, or changes its settings. Nodes have their own editor. */
export function FlowForm() {
  const isNew = useOptionalParam('id') === undefined;
  return (
    <RecordEditor
      kind="decisionFlow"
      as={isNew ? asNew : asStored}
      operations={decisionFlowOperations}
      spec={spec}
      initial={initial}
      editing={t.settingsOf}
    >
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields(parts: FormParts) {
  const { form, field, record: stored } = parts;
  const input = (path: string, optionLabels?: Readonly<Record<string, string>>) => (
    <FieldInput key={path} form={form} field={field(path)} {...(optionLabels === undefined ? {} : { optionLabels })} />
  );
  return (
    <FieldGroups>
      <FieldGroup title={t.basics}>
        {input('/name')}
        {stored === null ? (
          input('/key')
        ) : (
          <div>
            <h3 className="text-dense font-medium">{listTexts.key}</h3>
            <code className="text-dense break-words">{String(stored.key)}</code>
            <p className="text-caption text-soft">{t.fixedKey}</p>
          </div>
        )}
        {input('/description')}
        {stored === null ? <Start {...parts} /> : null}
      </FieldGroup>
      <FieldGroup title={t.use}>
        {input('/status', t.statuses)}
        {stored?.isDefault === true ? (
          <CheckField label={field('/isDefault').label} checked disabledReason={t.isDefaultNow} help={t.isDefaultNow} />
        ) : (
          input('/isDefault')
        )}
        {stored === null ? null : input('/isProtected')}
        {input('/autoAssembly')}
        {input('/couplingOverride', t.couplings)}
      </FieldGroup>
    </FieldGroups>
  );
}

/** The initial nodes of a new flow. */
function Start({ form }: FormParts) {
  const value = sameValue(form.valueAt('/draftConfig'), emptyConfig) ? 'empty' : 'base';
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="text-dense font-medium">{t.steps}</span>
      <Segmented
        label={t.steps}
        options={[
          { key: 'base', label: t.starts.base },
          { key: 'empty', label: t.starts.empty },
        ]}
        value={value}
        onChange={(next) => form.set('/draftConfig', next === 'base' ? baseFlowConfig : emptyConfig)}
      />
      <p className="text-caption text-soft">{t.stepsText[value]}</p>
    </div>
  );
}
