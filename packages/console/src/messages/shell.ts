import type { RailGroup } from '../route/feature.ts';

/** Texts of the frame around every page. */
export const shellTexts = {
  product: 'Arbiter',
  skip: 'Skip to the page',
  navigation: 'Pages',
  collapse: 'Collapse the rail',
  expand: 'Expand the rail',
  menu: 'Open the pages',
} as const;

/** Headings of the rail; pages of `home` stand above the groups without one. */
export const railGroupTitles: Readonly<Record<RailGroup, string>> = {
  home: '',
  decide: 'Decide',
  catalogue: 'Catalogue',
  guard: 'Guard',
  audience: 'Audience',
  data: 'Data',
  reach: 'Reach',
  learn: 'Learn',
  measure: 'Measure',
  govern: 'Govern',
  operate: 'Operate',
};
