import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const outcomes = feature({
  name: 'outcomes',
  screens: recordScreens(recordKinds.outcomeType, {
    list: () => import('./outcome-list.tsx').then((module) => module.OutcomeList),
    record: () => import('./outcome-page.tsx').then((module) => module.OutcomePage),
    form: () => import('./outcome-form.tsx').then((module) => module.OutcomeForm),
  }),
  commands: [createCommand(recordKinds.outcomeType)],
});
