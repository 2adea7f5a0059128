/** Texts of the error screens that replace a page. */
export const errorTexts = {
  notFoundTitle: 'Page not found',
  notFound: "There's no page at this address. The link may be outdated or incomplete.",
  crashedTitle: 'This page crashed',
  crashed: 'Nothing was sent. Reload the page. If it crashes again, the details below say what failed.',
  missingTitle: "This page didn't load",
  missing:
    'The server is unreachable, or it was upgraded since you opened this tab. Reload to continue. Your drafts are saved.',
  home: 'Home',
  reload: 'Reload',
} as const;
