export { getOptionEventAlert, setOptionEventAlert } from './option-event-alerts.js';
export { getPriceReminder, setPriceReminder } from './price-reminders.js';
export { getStockNote, setStockNote } from './stock-notes.js';
export { getUserSecurity, getUserSecurityGroup, modifyUserSecurity } from './watchlists.js';
