import { type ContentBlock, contentOperations } from '@arbiter/contract/catalogue/content';
import { useMemo, useState } from 'react';
import { codeOf } from '../../../data/failure.ts';
import { type BodyOf, useOperation } from '../../../data/use-operation.ts';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { useSettled } from '../../../forms/editing/use-settled.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { CustomerField } from '../../../forms/texts/customer-field.tsx';
import { RenderedTexts } from '../../../forms/texts/rendered-texts.tsx';
import { templateTypeOf } from '../../../forms/texts/template-keys.ts';
import { contentFormTexts as t } from '../../../messages/content/form.ts';
import { Section } from '../../../ui/page.tsx';

/** Milliseconds without changes before rendering. */
const settleMs = 400;

const isValues = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The unsaved item as a customer sees it, rendered by the server with its templates while it's edited. */
export function FormPreview({ form, blocks }: { readonly form: RecordForm; readonly blocks: readonly ContentBlock[] }) {
  const [customerId, setCustomerId] = useState('');
  const { content, personalization, parentTemplateId, channelType } = form.values;
  const body = useMemo(
    () => ({
      channelType: typeof channelType === 'string' ? channelType : '',
      content: isValues(content) ? content : {},
      blocks: [...blocks],
      personalization: isValues(personalization) ? personalization : {},
      parentTemplateId: typeof parentTemplateId === 'string' ? parentTemplateId : null,
      ...(customerId === '' ? {} : { customerId }),
    }),
    [channelType, content, blocks, personalization, parentTemplateId, customerId],
  );
  const settled = useSettled(body, settleMs);
  const input = useMemo(() => ({ body: settled }), [settled]);
  const { data, failure, old, refresh } = useOperation(contentOperations.preview, input, {
    enabled: settled.channelType !== '',
  });
  // Unfinished fields are rejected: the last preview stays.
  const [last, setLast] = useState<BodyOf<typeof contentOperations.preview>>();
  if (data !== undefined && !old && data !== last) setLast(data);
  const shown = data ?? last;
  const isUnfinished = codeOf(failure) === 'validation_failed';
  return (
    <Section title={t.preview}>
      <div className="flex flex-col gap-3">
        <CustomerField onPick={setCustomerId} />
        {isUnfinished ? (
          <p role="status" className="text-dense text-soft">
            {t.unfinished}
          </p>
        ) : failure === null ? null : (
          <FailurePanel failure={failure} operation={contentOperations.preview} retry={refresh} />
        )}
        {shown === undefined ? null : (
          <div className={old && failure === null ? 'flex flex-col gap-3 opacity-60' : 'flex flex-col gap-3'}>
            <RenderedTexts {...shown} templateType={templateTypeOf(settled.channelType)} />
          </div>
        )}
      </div>
    </Section>
  );
}
