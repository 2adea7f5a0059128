import { customerToolOperations } from '@arbiter/contract/deciding/customer-tools';
import { useEffect, useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { type CreativeTexts, type Rendered, renderCreative } from '../../../engine-worker/index.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { RenderedTexts } from '../../../forms/texts/rendered-texts.tsx';
import { creativeFormTexts as t } from '../../../messages/catalogue/creative-form.ts';
import { TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';

export interface LivePreviewProps {
  readonly creative: CreativeTexts;
  readonly offer: object;
  /** The customer to start with; empty for none. */
  readonly firstCustomer: string;
}

/** The creative as a customer gets it, rendered by the engine's own template code while it is typed. */
export function LivePreview({ creative, offer, firstCustomer }: LivePreviewProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [customerId, setCustomerId] = useState<string | null>(null);
  const id = customerId ?? firstCustomer;
  const answer = useOperation(
    customerToolOperations.eligibility,
    { params: { customerId: id }, query: { limit: 1 } },
    { enabled: id !== '' },
  );
  const customer = answer.data?.customer;
  const rendered = useRendered(creative, offer, customer);
  const commit = () => {
    if (typed !== null && typed.trim() !== '') setCustomerId(typed.trim());
  };
  return (
    <Section title={t.preview}>
      <div className="flex flex-col gap-3">
        <TextField
          label={t.asCustomer}
          help={answer.data?.known === false ? t.unknownCustomer : t.asCustomerHelp}
          value={typed ?? id}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            commit();
          }}
        />
        {answer.failure === null ? null : (
          <FailurePanel
            failure={answer.failure}
            operation={customerToolOperations.eligibility}
            retry={answer.refresh}
          />
        )}
        {rendered === null ? null : <RenderedTexts {...rendered} templateType={creative.templateType} />}
      </div>
    </Section>
  );
}

/** Renders after each change. An answer to an earlier text is dropped. */
function useRendered(creative: CreativeTexts, offer: object, customer: object | undefined): Rendered | null {
  const [rendered, setRendered] = useState<Rendered | null>(null);
  const input = JSON.stringify([creative, offer, customer ?? {}]);
  useEffect(() => {
    let isOver = false;
    const [each, ofOffer, ofCustomer] = JSON.parse(input) as [CreativeTexts, object, object];
    void renderCreative({ creative: each, offer: ofOffer, customer: ofCustomer }).then((next) => {
      if (!isOver) setRendered(next);
    });
    return () => {
      isOver = true;
    };
  }, [input]);
  return rendered;
}
