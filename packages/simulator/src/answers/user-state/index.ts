export { getOptionEventAlert, setOptionEventAlert } from './option-event-alerts.js';
export { getPriceReminder, setPriceReminder } from './price-reminders.js';
export { getStockNote, getUserSecurity, getUserSecurityGroup, modifyUserSecurity, setStockNote } from './watchlists.js';
