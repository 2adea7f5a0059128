/** Texts around HTML that a tenant wrote. */
export const previewTexts = {
  html: 'HTML',
  ways: { desktop: 'Desktop', phone: 'Phone', source: 'Source' },
  way: (what: string) => `How ${what} is shown`,
  images: 'Load images of other sites',
  imagesHelp: 'Those sites then see that somebody looks. Links lead nowhere here, and no script runs.',
  of: (what: string) => `Preview of ${what}`,
} as const;
