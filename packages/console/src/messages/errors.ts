/** Texts of the screens that stand where a page cannot. */
export const errorTexts = {
  notFoundTitle: 'Not here',
  notFound: 'This address leads to no page of the console. The link may be old, or it was cut when it was copied.',
  crashedTitle: 'This page stopped',
  crashed:
    'Something in the page failed while it was drawn. Nothing was sent. Reload it; if it stops again, the text below says what failed.',
  missingTitle: 'This page did not arrive',
  missing:
    'A part of the console could not be loaded: the server is away, or it was upgraded after this tab was opened. Reload to go on; drafts are kept.',
  home: 'Home',
  reload: 'Reload',
} as const;
