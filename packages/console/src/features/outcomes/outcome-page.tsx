import { type OutcomeType, outcomeTypeOperations } from '@arbiter/contract/catalogue/outcome-types';
import { useOperation } from '../../data/use-operation.ts';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { respondSnippet, outcomeTexts as t } from '../../messages/catalogue/outcomes.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { idTexts } from '../../messages/ui.ts';
import { useParam } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Copy, Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { classificationTones } from './outcome-look.ts';

/** An outcome type, and how an application reports it. */
export function OutcomePage() {
  const id = useParam('id');
  const answer = useOperation(outcomeTypeOperations.get, { params: { id } });
  return (
    <RecordPage
      answer={answer}
      operation={outcomeTypeOperations.get}
      kind="outcomeType"
      id={id}
      badges={({ isSystem }) => (isSystem ? <Badge tone="neutral">{t.builtIn}</Badge> : null)}
      actions={
        <RecordActions
          kind="outcomeType"
          operations={outcomeTypeOperations}
          record={answer.data}
          disabledReason={answer.data?.isSystem === true ? t.builtInText : null}
        />
      }
    >
      {(outcome) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Basics outcome={outcome} />
          <Sending outcome={outcome} />
        </div>
      )}
    </RecordPage>
  );
}

function Basics({ outcome }: { readonly outcome: OutcomeType }) {
  const format = useFormat();
  const { key, classification, category, isConversion } = outcome;
  return (
    <Section title={t.basics}>
      <Facts
        facts={[
          { label: listTexts.key, value: <Id id={key} what={idTexts.outcomeKey} whole /> },
          {
            label: t.classification,
            value: <Badge tone={classificationTones[classification]}>{t.classifications[classification]}</Badge>,
          },
          { label: t.category, value: t.categories[category] },
          { label: t.conversion, value: isConversion ? t.yes : t.no },
          ...versionFacts(outcome, format),
        ]}
      />
    </Section>
  );
}

function Sending({ outcome: { key } }: { readonly outcome: OutcomeType }) {
  const links = useLinks();
  const address = new URL(links.href('/'), globalThis.location.href).href.replace(/\/$/, '');
  const snippet = respondSnippet(address, key);
  return (
    <Section title={t.send} actions={<Copy text={snippet} what={t.snippet} labelled />}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.sendText}</p>
        <pre className="rounded-control bg-sunken p-3 text-caption break-all whitespace-pre-wrap">{snippet}</pre>
      </div>
    </Section>
  );
}
