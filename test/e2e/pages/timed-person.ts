import type { Page } from "playwright-core"

/**
 * Seconds of the keystroke-level model (Card, Moran and Newell, 1980): a key, a pointed place, a click, and a decision.
 * Besides, a person reads each new page.
 */
const cost = { key: 0.28, point: 1.1, click: 0.2, decide: 1.35, read: 3 } as const

/** A step of a task, in the words of a person, with the seconds that the person and the page take. */
export interface Step {
  readonly text: string
  readonly person: number
  readonly page: number
}

/**
 * A person who uses a page by its visible texts. The seconds of the person are those of the model. Those of the page are
 * measured, and depend on the machine.
 */
export const makePerson = (page: Page) => {
  const steps: Array<Step> = []
  const step = async (text: string, human: number, act: () => Promise<unknown>) => {
    const begun = performance.now()
    await act()
    steps.push({ text, person: human, page: (performance.now() - begun) / 1_000 })
  }
  const pointing = cost.decide + cost.point + cost.click
  return {
    steps,
    opens: (text: string, url: string) => step(text, cost.read, () => page.goto(url)),
    presses: (role: "button" | "link", name: string) =>
      step(`presses “${name}”`, pointing, () => page.getByRole(role, { name }).first().click()),
    ticks: (label: string) => step(`ticks “${label}”`, pointing, () => page.getByLabel(label).check()),
    types: (label: string, text: string) =>
      step(
        `types “${text}” into “${label}”`,
        pointing + text.length * cost.key,
        () => page.getByLabel(label).fill(text)
      ),
    /** With the key that the search box names. */
    searches: (text: string) =>
      step(`presses the key /, types “${text}” and Enter`, cost.decide + (text.length + 2) * cost.key, async () => {
        await page.keyboard.press("/")
        await page.keyboard.type(text)
        await page.keyboard.press("Enter")
      }),
    /** In the dialogue of the system, a person reads, points at the picture, and opens it. */
    chooses: (label: string, picture: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }) =>
      step(`presses “${label}” and chooses ${picture.name}`, 2 * pointing + cost.read, async () => {
        const chooser = page.waitForEvent("filechooser")
        await page.getByText(label, { exact: true }).click()
        await (await chooser).setFiles(picture)
      }),
    reads: (text: string) =>
      step(`reads “${text}”`, cost.read, () => page.getByText(text).filter({ visible: true }).first().waitFor())
  }
}

export type Person = ReturnType<typeof makePerson>
