/**
 * Names of the screens that show records of the tenant. They come with the shell, so they stand apart from the texts of the
 * screens.
 */
export const catalogueTitles = {
  offers: 'Offers',
  offer: 'Offer',
  creatives: 'Creatives',
  creative: 'Creative',
  categories: 'Categories',
  channels: 'Channels',
  channel: 'Channel',
  placements: 'Placements',
  placement: 'Placement',
  allPlacements: 'All placements',
  flows: 'Flows',
  flow: 'Flow',
  policies: 'Contact policies',
  policy: 'Contact policy',
  rules: 'Qualification rules',
  rule: 'Qualification rule',
  customers: 'Customers',
  customer: 'Customer',
  commandOpen: 'Open a customer by id',
  segments: 'Segments',
  segment: 'Segment',
  schemas: 'Schemas',
  schema: 'Schema',
} as const;
