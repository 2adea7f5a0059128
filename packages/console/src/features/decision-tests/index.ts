import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const decisionTests = feature({
  name: 'decision-tests',
  screens: recordScreens(recordKinds.decisionTest, {
    list: () => import('./test-list.tsx').then((module) => module.TestList),
    record: () => import('./test-page.tsx').then((module) => module.TestPage),
    form: () => import('./form/test-form.tsx').then((module) => module.TestForm),
  }),
  commands: [createCommand(recordKinds.decisionTest)],
});
