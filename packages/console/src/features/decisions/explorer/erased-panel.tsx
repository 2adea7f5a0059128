import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { RecordFacts } from './record-facts.tsx';

/** What remains of the decision of an erased customer. */
export function ErasedPanel({ record }: { readonly record: DecisionRecord }) {
  return (
    <div className="flex flex-col gap-4">
      <ProblemPanel
        tone="info"
        title={t.erasedTitle}
        actions={<ButtonLink to={addresses.decisions()}>{t.backToList}</ButtonLink>}
      >
        {t.erasedText}
      </ProblemPanel>
      <Section title={t.erasedLeft}>
        <RecordFacts record={record} slate={null} />
      </Section>
    </div>
  );
}
