"""The pages for administrators: users, invitations, credit."""
