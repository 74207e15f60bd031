/** An answer that came and is not what the API describes: asking again would change nothing. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
}
