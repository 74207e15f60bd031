import type { PreviewWorkspace } from '@proofdesk/slack-sandbox/renderer';

/** Returns a placeholder for a photo, so that pictures have a size. */
function picture(name: string, color: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="640" height="480" fill="${color}"/><text x="320" y="250" font-family="sans-serif" font-size="36" fill="#fff" text-anchor="middle">${name}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** All people, channels and pictures that the samples use. */
export const workspace: PreviewWorkspace = {
  app: 'Proofdesk',
  users: { U01ANN: 'Ann Reyes', U02BEN: 'Ben Okafor', U03CHLOE: 'Chloé Martin' },
  channels: { C01REVIEW: 'review', C02INBOX: 'inbox' },
  pictures: {
    F01LEFT: picture('shelf-left.jpg', '#4a6572'),
    F02RIGHT: picture('shelf-right.png', '#7a5c58'),
  },
  reader: 'U01ANN',
  zone: 'Europe/Paris',
};
