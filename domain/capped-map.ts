/** A map of at most `capacity` entries: a new entry replaces the one that was set the longest ago. */
export class CappedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number

  constructor(capacity: number) {
    super()
    this.#capacity = capacity
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    if (this.size >= this.#capacity) this.#removeOldest()
    return super.set(key, value)
  }

  #removeOldest(): void {
    for (const key of this.keys()) {
      this.delete(key)
      return
    }
  }
}
