import { type QualificationRule, qualificationRuleOperations } from '@arbiter/contract/catalogue/qualification-rules';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { RecordLink, ScopeText } from '../../forms/record-name.tsx';
import { DecisionsLink, versionFacts } from '../../forms/record-page.tsx';
import { RecordScreen } from '../../forms/record-screen.tsx';
import { RuleSentence } from '../../forms/rule-sentence.tsx';
import { Settings } from '../../forms/settings.tsx';
import { ruleFormTexts as formTexts } from '../../messages/catalogue/rule-form.ts';
import { consequence, ruleTypeNames, ruleTexts as t } from '../../messages/catalogue/rules.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

const ReachPanel = later(() => import('./form/reach-panel.tsx').then((module) => module.ReachPanel));

/** A qualification rule. */
export function RulePage() {
  return (
    <RecordScreen
      kind="qualificationRule"
      operation={qualificationRuleOperations.get}
      actions={(id, rule) => (
        <>
          <DecisionsLink to={addresses.decisions({ ruleId: id })}>{t.allDecisions}</DecisionsLink>
          <RecordActions
            kind="qualificationRule"
            operations={qualificationRuleOperations}
            record={rule}
            pausable={rule}
          />
        </>
      )}
    >
      {(rule) => <Rule rule={rule} />}
    </RecordScreen>
  );
}

const settingWords = { ...formTexts.operators, ...formTexts.missing };

function Rule({ rule }: { readonly rule: QualificationRule }) {
  const format = useFormat();
  const { ruleType, config, scopes, stage, priority } = rule;
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      <Section title={t.asks}>
        <div className="flex min-w-0 flex-col gap-4">
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
      <div className="flex min-w-0 flex-col gap-4">
        <ReachPanel ruleType={ruleType} config={config} />
        <Section title={t.settings}>
          <Settings config={config} reference={RecordLink} labels={formTexts.labels} options={settingWords} />
        </Section>
      </div>
    </div>
  );
}
