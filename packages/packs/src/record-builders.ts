import type { ChannelCreate } from '@arbiter/contract';
import type { PackCategory, PackCreative, PackFlow, PackOffer } from './pack.ts';

/** Category and sub-category of an offer. */
export type OfferPlace = Pick<PackOffer, 'categoryName' | 'subCategoryName'>;

/** Returns an active offer. */
export const buildOffer = (
  place: OfferPlace,
  name: string,
  [priority, businessValue]: readonly [number, number],
  more: Omit<PackOffer, 'name' | 'status' | 'priority' | 'businessValue' | keyof OfferPlace>,
): PackOffer => ({ name, status: 'active', ...place, priority, businessValue, ...more });

type Described = Pick<PackCategory, 'name' | 'description' | 'icon' | 'color'>;

/** Returns a category with its sub-categories, name by description, in this order. `ordinal`: its own position, from 1. */
export const buildCategory = (
  ordinal: number,
  category: Described,
  subCategories: Readonly<Record<string, string>>,
): PackCategory => ({
  ...category,
  ordinal,
  subCategories: Object.entries(subCategories).map(([name, description], at) => ({
    name,
    description,
    ordinal: at + 1,
  })),
});

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Returns a flow that takes offers from the inventory, matches creatives, checks rules and policies, and ends with a
 * response. `nodes` are in between. `inventory`: default all offers.
 */
export function buildFlow({
  inventory = { id: 'inventory', type: 'inventory', name: 'All offers', config: { scope: 'all' } },
  nodes,
  flowConfig,
  ...flow
}: Omit<PackFlow, 'draftConfig'> & {
  readonly inventory?: FlowNode;
  readonly nodes: readonly FlowNode[];
  readonly flowConfig: Readonly<Record<string, unknown>>;
}): PackFlow {
  return {
    ...flow,
    draftConfig: {
      version: 2,
      nodes: [
        inventory,
        { id: 'creatives', type: 'match_creatives', name: 'Match creatives', config: { requireCreative: true } },
        { id: 'qualify', type: 'qualify', name: 'Check eligibility', config: {} },
        { id: 'policy', type: 'contact_policy', name: 'Apply contact policies', config: {} },
        ...nodes,
        { id: 'response', type: 'response', name: 'Response', config: { responseFormat: 'standard' } },
      ],
      flowConfig,
    },
  };
}

/** How an offer's message is laid out on a channel. */
export interface CreativeLayout<Message> {
  readonly templateType: string;
  readonly content: (message: Message) => Readonly<Record<string, string>>;
}

/**
 * Returns one creative per offer and channel, for any placement of the channel. Layouts are by channel key, messages by
 * offer name. Throws if one is missing.
 */
export function buildCreatives<Message>(
  offers: readonly PackOffer[],
  channels: readonly ChannelCreate[],
  {
    messages,
    layouts,
    personalization,
  }: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly layouts: Readonly<Record<string, CreativeLayout<Message>>>;
    readonly personalization?: PackCreative['personalization'];
  },
): PackCreative[] {
  return offers.flatMap((offer) =>
    channels.map((channel): PackCreative => {
      const message = messages[offer.name];
      const layout = layouts[channel.key ?? ''];
      if (message === undefined || layout === undefined) {
        throw new Error(`no message for ${offer.name} on ${channel.name}`);
      }
      return {
        name: `${offer.name} (${channel.name})`,
        status: 'active',
        offerName: offer.name,
        channelName: channel.name,
        templateType: layout.templateType,
        content: layout.content(message),
        ...(personalization === undefined ? {} : { personalization }),
      };
    }),
  );
}
