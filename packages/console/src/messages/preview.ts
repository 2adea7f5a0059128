/** Texts of the preview of a tenant's HTML. */
export const previewTexts = {
  html: 'HTML',
  ways: { desktop: 'Desktop', phone: 'Phone', source: 'Source' },
  way: (what: string) => `View of ${what}`,
  images: 'Load remote images',
  imagesHelp: 'Remote sites can see that someone opened this preview. Links and scripts are disabled.',
  of: (what: string) => `Preview of ${what}`,
} as const;
