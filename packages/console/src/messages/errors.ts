/** Texts of the screens that stand where a page cannot. */
export const errorTexts = {
  notFoundTitle: 'Not here',
  notFound: 'This address leads to no page of the console. The link may be old, or it was cut when it was copied.',
  crashedTitle: 'This page stopped',
  crashed:
    'Something in the page failed while it was drawn. Nothing was sent. Reload it; if it stops again, the text below says what failed.',
  upgradedTitle: 'The server has been upgraded',
  upgraded:
    'This tab was opened before the upgrade and a part of the console is gone. Reload to go on; drafts are kept.',
  home: 'Home',
  reload: 'Reload',
} as const;
