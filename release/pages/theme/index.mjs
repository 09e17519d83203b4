// VitePress's theme with the system's fonts: nothing is loaded from elsewhere.

import Theme from 'vitepress/theme-without-fonts'
import './style.css'

export default Theme
