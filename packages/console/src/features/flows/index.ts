import { flowTitles } from '../../messages/flows/flow-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

const kind = recordKinds.decisionFlow;
const form = () => import('./flow-form.tsx').then((module) => module.FlowForm);

/** Loads the impact of publishing a draft, for pages that decide about it. */
export const loadPublishImpact = () =>
  import('./publish/requested-impact.tsx').then((module) => module.RequestedImpact);

export const flows = feature({
  name: 'flows',
  screens: [
    ...recordScreens(kind, {
      list: () => import('./flow-list.tsx').then((module) => module.FlowList),
      record: () => import('./flow-page.tsx').then((module) => module.FlowPage),
    }),
    { path: kind.create, title: flowTitles.create, load: form },
    { path: `${kind.path}/$id/settings`, title: flowTitles.settings, load: form },
    {
      path: `${kind.path}/$id/edit`,
      title: flowTitles.edit,
      load: () => import('./editor/flow-editor-page.tsx').then((module) => module.FlowEditorPage),
    },
    {
      path: `${kind.path}/$id/publish`,
      title: flowTitles.publish,
      load: () => import('./publish/publish-page.tsx').then((module) => module.PublishPage),
    },
  ],
  commands: [createCommand(kind)],
});
