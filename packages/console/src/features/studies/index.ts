import { Microscope } from 'lucide-react';
import { studyTitles } from '../../messages/judging/study-titles.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

/** Studies: backtests, evaluations and checks of drafts. */
export const studies = feature({
  name: 'studies',
  screens: [
    {
      path: '/studies',
      title: studyTitles.studies,
      rail: { group: 'decide', order: 60, icon: Microscope },
      load: () => import('./study-list.tsx').then((module) => module.StudyList),
    },
    {
      path: '/studies/new',
      title: studyTitles.create,
      load: () => import('./new-study.tsx').then((module) => module.NewStudy),
    },
    {
      path: '/studies/$id',
      title: studyTitles.study,
      load: () => import('./study-page.tsx').then((module) => module.StudyPage),
    },
  ],
  commands: [{ id: 'create /studies/new', title: studyTitles.create, act: { open: addresses.newStudy() } }],
});
