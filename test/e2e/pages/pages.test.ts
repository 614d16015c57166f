import { testPages } from "./test-pages.ts"
import { windows } from "./windows.ts"

// Every fourth page in one window. The pages of each site meet all windows.
testPages("pages for people, a part of them", (index, window) => index % (4 * windows.length) === 4 * window)
