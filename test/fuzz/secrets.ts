/**
 * What must never be emitted. The values are planted where they belong: in the bot's settings, in a form, with a worker's
 * task. Whatever the bot logs, answers or sends to Slack is then searched for them.
 */
export const planted = {
  apiKey: 'planted-api-key-7Qx2Vd9LmZ4t',
  /** Typed into the form that connects an account. */
  typedApiKey: 'typed-api-key-3Rk8Wp5TnB6c',
  // The sandbox workspace knows these two only.
  botToken: 'xoxb-sandbox',
  signingSecret: 'sandbox-signing-secret',
  encryptionKey: Buffer.from('planted-encryption-key-32-bytes!').toString('base64'),
  workerIp: '203.0.113.207',
  workerIpv6: '2001:db8:77aa:12cd:9f3e:55d1:80b2:beef',
} as const;

/** The ways in which a secret could stand in a text, besides itself. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Within a longer text, base64 begins at one of three offsets; what the neighbors change is cut off.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(offset === 0 ? 0 : 4, -2),
  );
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    ...base64,
    ...base64url,
    hex,
    hex.toUpperCase(),
  ];
}

const wanted = Object.entries(planted).map(([name, secret]) => ({
  name,
  forms: [...new Set(formsOf(secret))],
}));

/** Returns which secrets stand in a text, each with what stands around it. */
export function secretsIn(text: string): string[] {
  return wanted.flatMap(({ name, forms }) => {
    const found = forms.find((form) => text.includes(form));
    if (found === undefined) return [];
    const at = text.indexOf(found);
    return [`${name} in ${JSON.stringify(text.slice(Math.max(0, at - 160), at + found.length + 60))}`];
  });
}
