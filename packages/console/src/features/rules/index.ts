import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const rules = feature({
  name: 'rules',
  screens: recordScreens(recordKinds.qualificationRule, {
    list: () => import('./rule-list.tsx').then((module) => module.RuleList),
    record: () => import('./rule-page.tsx').then((module) => module.RulePage),
    form: () => import('./form/rule-form.tsx').then((module) => module.RuleForm),
  }),
  commands: [createCommand(recordKinds.qualificationRule)],
});
