import { type QualificationRule, qualificationRuleOperations } from '@arbiter/contract/catalogue/qualification-rules';
import { useOperation } from '../../data/use-operation.ts';
import { ScopeText } from '../../forms/record-name.tsx';
import { DecisionsLink, RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { RuleSentence } from '../../forms/rule-sentence.tsx';
import { Settings } from '../../forms/settings.tsx';
import { listTexts } from '../../messages/lists.ts';
import { consequence, ruleTypeNames, ruleTexts as t } from '../../messages/rules.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

const parents = [{ title: t.rules, to: addresses.rules() }];

/** One qualification rule, read. */
export function RulePage() {
  const id = useParam('id');
  const answer = useOperation(qualificationRuleOperations.get, { params: { id } });
  return (
    <RecordPage
      answer={answer}
      operation={qualificationRuleOperations.get}
      kind="qualificationRule"
      id={id}
      parents={parents}
      actions={<DecisionsLink to={addresses.decisions({ ruleId: id })}>{t.allDecisions}</DecisionsLink>}
    >
      {(body) => <Rule rule={body} />}
    </RecordPage>
  );
}

function Rule({ rule }: { readonly rule: QualificationRule }) {
  const format = useFormat();
  const { ruleType, config, scopes, stage, priority } = rule;
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Section title={t.asks}>
        <div className="flex flex-col gap-4">
          <p className="text-section font-medium">
            <RuleSentence rule={rule} />
            <span className="block text-body font-normal text-soft">
              {t.otherwise}: {consequence(stage, config)}
            </span>
          </p>
          <Facts
            facts={[
              { label: listTexts.type, value: ruleTypeNames[ruleType] },
              { label: t.stage, value: stage },
              { label: t.appliesTo, value: <ScopeText scopes={scopes} all /> },
              { label: listTexts.priority, value: priority },
              ...versionFacts(rule, format),
            ]}
          />
        </div>
      </Section>
      <Section title={t.settings}>
        <Settings config={config} />
      </Section>
    </div>
  );
}
