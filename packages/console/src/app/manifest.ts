import { categories } from '../features/categories/index.ts';
import { channels } from '../features/channels/index.ts';
import { creatives } from '../features/creatives/index.ts';
import { customers } from '../features/customers/index.ts';
import { decisions } from '../features/decisions/index.ts';
import { flows } from '../features/flows/index.ts';
import { offers } from '../features/offers/index.ts';
import { policies } from '../features/policies/index.ts';
import { rules } from '../features/rules/index.ts';
import { schemas } from '../features/schemas/index.ts';
import { segments } from '../features/segments/index.ts';
import type { Feature, Screen } from '../route/feature.ts';

/** Every feature of the console, in the order of their tiers. The routes, the rail and the palette are made from this list. */
export const features: readonly Feature[] = [
  categories,
  channels,
  creatives,
  offers,
  policies,
  rules,
  schemas,
  segments,
  customers,
  decisions,
  flows,
];

/** Every screen, as tests walk them. */
export const screens: readonly Screen[] = features.flatMap((each) => each.screens);
