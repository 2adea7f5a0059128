import { contentOperations } from '@arbiter/contract/catalogue/content';
import { useMemo } from 'react';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { ReferenceInput } from '../../../forms/editing/inputs/reference-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { blockTexts } from '../../../messages/content/blocks.ts';
import { contentFormTexts as t } from '../../../messages/content/form.ts';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { whyNotChange } from '../content-enabled.ts';
import { ContentOff } from '../content-off.tsx';
import { BlocksInput, blocksIn } from './blocks/blocks-input.tsx';
import { FormPreview } from './form-preview.tsx';
import { TemplateBlocks } from './template-blocks.tsx';
import { TextsInput } from './texts-input.tsx';
import { VariablesInput } from './variables-input.tsx';

const spec = { labels: t.labels, help: t.help };
const initial = { name: '', channelType: 'email', isTemplate: false, content: {}, blocks: [], personalization: {} };
const onlyTemplates = { isTemplate: true };

/** Creates a content item, or changes one. */
export function ContentForm() {
  return (
    <RecordEditor
      kind="contentItem"
      operations={contentOperations}
      spec={spec}
      initial={initial}
      instead={() => (whyNotChange() === null ? null : <ContentOff />)}
    >
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields({ form, field, record }: FormParts) {
  const blocks = blocksIn(form);
  const templateId = form.valueAt('/parentTemplateId');
  const parent = useMemo(() => ({ ...field('/parentTemplateId'), to: 'contentItem' }), [field]);
  return (
    <FieldGroups>
      <div className="flex min-w-0 flex-col gap-4">
        {record === null || record.status === 'draft' ? null : (
          <ProblemPanel tone="info" title={t.backToDraft}>
            {t.backToDraftText}
          </ProblemPanel>
        )}
        <FieldGroup title={t.basics}>
          <FieldInput form={form} field={field('/name')} />
          <FieldInput form={form} field={field('/description')} />
          {record === null ? (
            <>
              <FieldInput form={form} field={field('/channelType')} />
              <FieldInput form={form} field={field('/isTemplate')} />
            </>
          ) : null}
          <ReferenceInput form={form} field={parent} query={onlyTemplates} />
          {record === null ? null : <FieldInput form={form} field={field('/changeNote')} />}
        </FieldGroup>
        <FieldGroup title={t.texts}>
          <TextsInput form={form} />
        </FieldGroup>
        <FieldGroup title={blockTexts.blocks}>
          <BlocksInput form={form} />
        </FieldGroup>
        {typeof templateId === 'string' ? (
          <FieldGroup title={blockTexts.inherited}>
            <TemplateBlocks form={form} templateId={templateId} />
          </FieldGroup>
        ) : null}
        <FieldGroup title={t.variables}>
          <VariablesInput form={form} />
        </FieldGroup>
      </div>
      <div className="min-w-0 lg:sticky lg:top-4">
        <FormPreview form={form} blocks={blocks} />
      </div>
    </FieldGroups>
  );
}
