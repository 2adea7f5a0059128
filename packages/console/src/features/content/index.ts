import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

/** Content items: texts and blocks with a workflow, which creatives show. */
export const content = feature({
  name: 'content',
  screens: recordScreens(recordKinds.contentItem, {
    list: () => import('./content-list.tsx').then((module) => module.ContentList),
    record: () => import('./content-page.tsx').then((module) => module.ContentPage),
    form: () => import('./form/content-form.tsx').then((module) => module.ContentForm),
  }),
  commands: [createCommand(recordKinds.contentItem)],
});
