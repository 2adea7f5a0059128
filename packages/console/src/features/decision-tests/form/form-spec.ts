import type { SpecOptions } from '../../../forms/editing/field-spec.ts';
import { decisionTestFormTexts as t } from '../../../messages/judging/decision-tests.ts';

/** How the form of a decision test shows its fields. Tests name records by name or key. */
export const testSpec: SpecOptions = {
  labels: t.labels,
  help: t.help,
  references: {
    '/given/segments': 'segmentName',
    '/given/contacts/-/offer': 'offerName',
    '/given/contacts/-/channel': 'channelKey',
    '/given/contacts/-/creative': 'creativeName',
    '/given/contacts/-/outcome': 'outcomeTypeKey',
    '/given/request/channel': 'channelKey',
    '/given/request/placement': 'placementName',
    '/given/request/placements/-/placement': 'placementName',
    '/given/request/placements/-/channel': 'channelKey',
    '/given/request/excludeOffers': 'offerName',
    '/expect/includes': 'offerName',
    '/expect/excludes/-/offer': 'offerName',
    '/expect/order': 'offerName',
    '/expect/first': 'offerName',
  },
  kinds: {
    '/given/customer': 'values',
    '/given/attributes': 'values',
    '/given/request/context': 'values',
    '/given/evidence': 'json',
    '/expect/probability': 'json',
  },
};
