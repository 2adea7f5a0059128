import { type ContentItem, contentOperations } from '@arbiter/contract/catalogue/content';
import { useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { CustomerField } from '../../forms/texts/customer-field.tsx';
import { RenderedTexts } from '../../forms/texts/rendered-texts.tsx';
import { templateTypeOf } from '../../forms/texts/template-keys.ts';
import { contentTexts as t } from '../../messages/content/items.ts';
import { Section } from '../../ui/page.tsx';

/** The item as a customer sees it, rendered by the server with its templates. */
export function ContentPreview({ item }: { readonly item: ContentItem }) {
  const { id, channelType } = item;
  const [customerId, setCustomerId] = useState('');
  const answer = useOperation(contentOperations.render, {
    params: { id },
    body: customerId === '' ? {} : { customerId },
  });
  return (
    <Section title={t.preview}>
      <div className="flex flex-col gap-3">
        <CustomerField onPick={setCustomerId} />
        <Loaded answer={answer} operation={contentOperations.render}>
          {({ content, missing }) => (
            <RenderedTexts content={content} missing={missing} templateType={templateTypeOf(channelType)} />
          )}
        </Loaded>
      </div>
    </Section>
  );
}
